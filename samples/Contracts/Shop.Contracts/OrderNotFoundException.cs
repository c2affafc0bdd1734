namespace Shop.Contracts;

/// <summary>There is no order of this number: 404 over HTTP, and this exception in code.</summary>
/// <param name="message">Names the order.</param>
public sealed class OrderNotFoundException(string message) : Exception(message);
