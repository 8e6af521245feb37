"""A scope as it is shown."""

from rich.markup import escape

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.standalone.commands.scopes.roles import role_name
from scops.standalone.terminal.output import Output, last_part, line, print_json, short_time
from scops.standalone.terminal.rules import BOUNDARY_NAMES, show_rule

LOCAL = "local"


def show_scope(scope: pb.Scope) -> None:
    """Prints a scope."""
    if Output.is_json():
        print_json(scope)
        return
    updated = short_time(scope.update_time)
    line(f"[bold]{last_part(scope.name)}[/bold], revision {scope.revision} of {updated}")
    _show_access(scope)
    if scope.boundary:
        line(f"  boundary {BOUNDARY_NAMES.get(scope.boundary, 'unknown')}")
    for rule in scope.rules:
        line(f"  {escape(show_rule(rule))}")
    for error in scope.rule_errors:
        line(f"  [red]!![/] {escape(error)}")
    for seed in scope.seeds:
        line(f"  seed {escape(seed)}")
    for sitemap in scope.sitemaps:
        line(f"  sitemap {escape(sitemap)}")
    _show_upkeep(scope)


def _show_access(scope: pb.Scope) -> None:
    # Where everybody is the same, it says nothing.
    if scope.owner not in ("", LOCAL):
        line(f"  owner {escape(scope.owner)}; you are {role_name(scope.role)}")
    if scope.public:
        line("  everybody of the organisation may read it")
    for grant in scope.grants:
        rights = f", may {escape(', '.join(grant.rights))}" if grant.rights else ""
        line(f"  shared with {escape(grant.subject)}: {role_name(grant.role)}{rights}")


def _show_upkeep(scope: pb.Scope) -> None:
    if scope.retention_days:
        line(f"  keeps versions for {scope.retention_days} days after they stopped standing")
    for words, reasons in (("counts", scope.counted_reasons), ("ignores", scope.ignored_reasons)):
        if reasons:
            line(f"  {words} {escape(', '.join(reasons))}")
    if scope.recrawl_per_day:
        budget = (
            f"{scope.recrawl_per_day} fetches a day" if scope.recrawl_per_day > 0 else "nothing"
        )
        line(f"  kept fresh by {budget}")
    if scope.paper_services:
        line(f"  papers are looked for by {escape(', '.join(scope.paper_services))}")
    if scope.rendered_per_day < 0:
        line("  no page is shown by a browser")
    elif scope.rendered_always or scope.rendered_per_day:
        which = "every page" if scope.rendered_always else "pages that only scripts fill"
        most = f", {scope.rendered_per_day} a day" if scope.rendered_per_day else ""
        line(f"  {which} shown by a browser{most}")
