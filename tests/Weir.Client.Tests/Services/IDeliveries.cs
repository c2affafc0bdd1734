namespace Weir.Client.Tests.Services;

public enum Delivery
{
    [EnumFallback]
    Other,
    Post,
    Courier,
}

/// <summary>No class serves it here: only its client is made.</summary>
[Service]
public interface IDeliveries
{
    ValueTask<Delivery> Next(CancellationToken ct = default);
}
