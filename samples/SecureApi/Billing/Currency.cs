namespace SecureApi.Billing;

public enum Currency
{
    Eur,
    Usd,
}
