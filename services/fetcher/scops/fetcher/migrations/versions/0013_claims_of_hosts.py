"""Claims of hosts, which the organisations of a database server share.

Fetchers reach them by functions that take the digest of a host; no login reads the table. They
stay when one organisation's schema goes.

Revision ID: 0013
Revises: 0012
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None
# One upgrade at a time: those of several organisations may meet.
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('scops_hosts', 0))"
FIND = "SELECT to_regclass('scops_hosts.claim')"
HAS_SCHEMA = "SELECT to_regnamespace('scops_hosts')"
CLAIM = """
CREATE FUNCTION scops_hosts.take(of_host bytea, of_lease text, now_us bigint, until_us bigint)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE held scops_hosts.claim;
BEGIN
  INSERT INTO scops_hosts.claim VALUES (of_host, of_lease, until_us) ON CONFLICT DO NOTHING;
  IF FOUND THEN RETURN now_us; END IF;
  SELECT * INTO held FROM scops_hosts.claim WHERE host = of_host FOR UPDATE;
  -- Further ahead than any pause: a clock was wrong.
  IF held.lease = of_lease OR held.free_us <= now_us OR held.free_us > now_us + 7200000000 THEN
    UPDATE scops_hosts.claim SET lease = of_lease, free_us = until_us WHERE host = of_host;
    RETURN now_us;
  END IF;
  RETURN coalesce(held.free_us, now_us + 1);
END $$
"""
RELEASE = """
CREATE FUNCTION scops_hosts.leave(of_host bytea, of_lease text, until_us bigint)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE scops_hosts.claim SET lease = '', free_us = until_us
  WHERE host = of_host AND lease = of_lease
$$
"""
FORGET = """
CREATE FUNCTION scops_hosts.forget(before_us bigint)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DELETE FROM scops_hosts.claim WHERE free_us < before_us
$$
"""


def upgrade() -> None:
    """Makes the claims where no organisation has done so yet."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    op.execute(ALONE)
    if connection.exec_driver_sql(FIND).scalar() is not None:
        return
    if connection.exec_driver_sql(HAS_SCHEMA).scalar() is None:
        op.execute("CREATE SCHEMA scops_hosts")
    op.execute(
        "CREATE TABLE scops_hosts.claim "
        "(host bytea PRIMARY KEY, lease text NOT NULL, free_us bigint NOT NULL)"
    )
    for function in (CLAIM, RELEASE, FORGET):
        op.execute(function)
    op.execute("REVOKE ALL ON ALL FUNCTIONS IN SCHEMA scops_hosts FROM PUBLIC")


def downgrade() -> None:
    """Leaves them: other organisations may go by them."""
