"""Files, releases and issues of a repository, by the REST API of GitHub."""
