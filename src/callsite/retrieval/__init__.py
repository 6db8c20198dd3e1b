"""The use case of answering: question → candidates → signals → ranking → hits that fit the budget."""
