namespace SecureApi.Billing;

/// <summary>The invoices of all tenants, in place of a database. May be used concurrently.</summary>
public sealed class InvoiceBook
{
    private readonly Lock _lock = new();
    private readonly List<(string Tenant, Invoice Invoice)> _all =
        [("acme", new Invoice(1, "Ada", 120, Currency.Eur)), ("globex", new Invoice(2, "Grace", 75, Currency.Usd))];

    public Invoice[] Of(string tenant)
    {
        lock (_lock)
        {
            return [.. from one in _all where one.Tenant == tenant select one.Invoice];
        }
    }

    public Invoice Add(string tenant, NewInvoice invoice)
    {
        lock (_lock)
        {
            var added = new Invoice(_all.Count + 1, invoice.Customer, invoice.Amount, invoice.Currency);
            _all.Add((tenant, added));
            return added;
        }
    }
}
