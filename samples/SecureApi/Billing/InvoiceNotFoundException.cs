namespace SecureApi.Billing;

/// <summary>The tenant has no invoice of this number; another tenant may have one, which the caller does not learn.</summary>
/// <param name="message">Names the number.</param>
public sealed class InvoiceNotFoundException(string message) : Exception(message);
