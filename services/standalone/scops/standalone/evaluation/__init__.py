"""How good answers are: judged questions are asked, and what comes back is held against them."""
