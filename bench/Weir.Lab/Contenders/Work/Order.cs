namespace Weir.Lab.Contenders.Work;

/// <summary>A JSON body of the usual kind: text, a number, a list of objects.</summary>
public sealed record Order(string Customer, int Number, IReadOnlyList<OrderLine> Lines)
{
    /// <summary>What every contender answers; also where its framework lets a null through.</summary>
    public int Pieces() => Lines?.Sum(static line => line?.Pieces ?? 0) ?? 0;
}

/// <summary>A part of an <see cref="Order"/>.</summary>
public sealed record OrderLine(string Article, int Pieces);
