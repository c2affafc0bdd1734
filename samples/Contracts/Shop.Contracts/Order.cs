namespace Shop.Contracts;

/// <summary>An order that the shop has accepted.</summary>
public sealed class Order
{
    public int Id { get; set; }

    public string Article { get; set; } = "";

    public int Count { get; set; }

    public decimal Total { get; set; }
}
