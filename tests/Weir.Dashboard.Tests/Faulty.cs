namespace Weir.Dashboard.Tests;

/// <summary>What goes wrong.</summary>
[Service]
public sealed class Faulty
{
    [Isolated("crashing")]
    public void Crash(string last)
    {
        Console.WriteLine($"about to crash: {last}");
        Environment.Exit(7);
    }

    [Isolated("crashing")]
    public int Answer() => 42;

    [Isolated("crashing")]
    public void Stay(int milliseconds) => Thread.Sleep(milliseconds);

    /// <summary>Says by a file that it has begun: a call that is assigned may not have.</summary>
    [Isolated("crashing")]
    public void Hang(string begun, int milliseconds)
    {
        File.WriteAllText(begun, "");
        Thread.Sleep(milliseconds);
    }

    [Blocking]
    public void Block(int milliseconds) => Thread.Sleep(milliseconds);
}
