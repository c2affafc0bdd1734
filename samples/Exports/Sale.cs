namespace Exports;

/// <summary>One row of the table, and one item of the export.</summary>
public sealed class Sale
{
    public int Id { get; set; }

    public int Year { get; set; }

    public string Article { get; set; } = "";

    public decimal Amount { get; set; }
}
