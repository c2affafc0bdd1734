namespace SecureApi.Billing;

/// <summary>An invoice of one tenant.</summary>
/// <param name="Number">Unique among all tenants.</param>
/// <param name="Customer">Who pays it.</param>
/// <param name="Amount">What is to be paid.</param>
/// <param name="Currency">In which currency.</param>
public sealed record Invoice(int Number, string Customer, decimal Amount, Currency Currency);
