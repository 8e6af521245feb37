def test_text_fragment_follows_a_route() -> None:
    """Browsers take the directive away before an app reads its route."""
    assert f"{ROUTE}:~:text=free%20of%20charge" == fragment_url(ROUTE, "free of charge")
