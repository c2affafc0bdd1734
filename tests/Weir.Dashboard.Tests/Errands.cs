namespace Weir.Dashboard.Tests;

/// <summary>Jobs.</summary>
[Service]
public sealed class Errands
{
    [Job]
    public void Fail() => throw new InvalidOperationException("It never works.");

    [Job]
    public string Run(string name) => name;

    /// <summary>Fails with a text of its caller, unless that is right.</summary>
    [Job]
    public string Require(string text) => text == "right" ? text : throw new InvalidOperationException(text);

    [Job, Schedule("0 3 1 1 *")]
    public void Yearly()
    {
    }
}
