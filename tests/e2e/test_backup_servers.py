"""Backup and restore of separate roles: PostgreSQL, Weaviate, NATS with users."""

from pathlib import Path

import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from scops.common.bus.admin.permissions import PROVISIONER
from tests.e2e.backups import SCOPE, check_answers, harbour, path_of, serve
from tests.e2e.separate_roles import SeparateRoles, Servers
from tests.fakes.servers.origin import Origin, running

PAGES = 12


@pytest.fixture
def roles(tmp_path: Path, servers: Servers) -> SeparateRoles:
    return SeparateRoles(tmp_path / "harbour-roles", servers)


def test_an_older_backup_comes_back_on_servers(roles: SeparateRoles, tmp_path: Path) -> None:
    """All schemas come back of one instant, over a live archive, Weaviate and bus."""
    place = str(tmp_path / "place")
    as_operator = roles.user(PROVISIONER)
    with running(Origin()) as site:
        serve(site, PAGES)
        try:
            roles.start()
            roles.create_scope(SCOPE, seeds=[f"{site.url}/"])
            roles.crawl(SCOPE)
            taken = roles.run("backup", place, **as_operator)
            assert taken.code == 0, taken.err
            before = roles.heads()
            refused = roles.run("restore", place, "--replace", **as_operator)
            assert (7, "ROLES_RUNNING") == (refused.code, refused.json["error"]["reason"])

            serve(site, PAGES + 2)
            site.replace(path_of(1), harbour(1, berths=901))
            roles.crawl(SCOPE)
            assert len(roles.heads()) == len(before) + 2
            for process in roles.processes:
                assert roles.stop_process(process) == 0
            done = roles.run("restore", place, "--replace", **as_operator)
            assert done.code == 0, done.err
            assert done.json["index_faults"] == done.json["index_mended"] > 0
            for process in roles.processes:
                roles.start_process(process)
            roles.wait_ready()

            assert before == roles.heads()
            check_answers(roles, range(0, PAGES, 3))
            assert roles.crawl(SCOPE).state == Job.STATE_COMPLETED
            assert len(roles.heads()) == len(before) + 2
            check_answers(roles, range(1, 2), berths=901)
            found = roles.find_all()
            assert ([], [], []) == (
                found.missing_by_id,
                found.missing_by_words,
                found.missing_by_vector,
            )
        finally:
            roles.kill()
