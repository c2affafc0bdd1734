using Weir;

namespace WeirApp;

/// <summary>What makes the application one with a pool.</summary>
[Service, Isolated]
public sealed class Tasks
{
    [Get]
    public int Identify() => Environment.ProcessId;
}
