"""What calls take and give: frozen values, named as the API names them."""
