using Weir;

namespace WeirApp;

/// <summary>What makes the application one with a pool.</summary>
[Service, Isolated]
public sealed class Tasks
{
    [Get]
    public int Identify() => Environment.ProcessId;

    [Get]
    public int Double(int number) => 2 * number;
}
