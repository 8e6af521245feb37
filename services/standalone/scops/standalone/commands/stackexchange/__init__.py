"""Questions with their answers, by the API of Stack Exchange."""
