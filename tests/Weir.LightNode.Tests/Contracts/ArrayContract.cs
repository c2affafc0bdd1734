namespace Weir.LightNode.Tests.Contracts;

/// <summary>Arrays by repeated keys, and where values come from.</summary>
[Get, Post, Put]
public abstract class ArrayOperations
{
    public int Sum(int[] xs) => xs.Sum();

    public int Sum2(int x, int[] xs, int y, int[] ys) => x + xs.Sum() + y + ys.Sum();

    public string Texts(string[] xs) => $"{xs.Length}: {string.Join('|', xs)}";

    /// <summary>In Weir an array that may be null is null where it is absent.</summary>
    public string OrNull(int[]? xs) => xs is null ? "null" : $"{xs.Length}";

    /// <summary>The four lists of LightNode's tests of its value provider.</summary>
    public string Sources(string[] a, string[] b, string[] c, string[] hugahuga) =>
        string.Join('|', new[] { a, b, c, hugahuga }.Select(static values => string.Join(',', values)));
}

[Service]
public sealed class ArrayContract : ArrayOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedArrayContract : ArrayOperations;
