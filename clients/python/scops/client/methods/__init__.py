"""The methods of the client, each written once; see `scops.client.calls`."""
