"""Every statement of every service, asked of tables of growing size."""
