namespace Weir.Dashboard.Tests;

/// <summary>Jobs.</summary>
[Service]
public sealed class Errands
{
    [Job]
    public void Fail() => throw new InvalidOperationException("It never works.");

    [Job]
    public string Run(string name) => name;
}
