namespace Jobs;

/// <summary>What a payment brings.</summary>
public sealed record Receipt(string Invoice, decimal Amount, int Attempts);
