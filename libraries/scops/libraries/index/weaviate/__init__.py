"""The chunk store on Weaviate."""
