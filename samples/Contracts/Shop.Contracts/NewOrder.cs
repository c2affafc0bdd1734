namespace Shop.Contracts;

/// <summary>What a customer orders.</summary>
public sealed class NewOrder
{
    public string Article { get; set; } = "";

    public int Count { get; set; } = 1;
}
