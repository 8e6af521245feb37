"""What the fetcher's handlers and workers need.

State methods are whole transactions: each either happens or does not, and each may be called
again with the same arguments without a second effect, unless it says otherwise. All of them may
raise `StoreUnavailable`.
"""
