using System.ComponentModel.DataAnnotations;

namespace SecureApi.Billing;

/// <summary>What a caller sends for an invoice.</summary>
public sealed class NewInvoice
{
    [StringLength(100, MinimumLength = 1)]
    public required string Customer { get; set; }

    [Range(1, 1_000_000)]
    public int Amount { get; set; }

    public Currency Currency { get; set; } = Currency.Eur;
}
