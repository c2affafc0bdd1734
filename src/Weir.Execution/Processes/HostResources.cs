namespace Weir.Execution.Processes;

/// <summary>What the host has left at one moment; <c>null</c> where it is unknown or unlimited.</summary>
internal readonly record struct HostResources
{
    /// <summary>Bytes that can still be allocated before memory is short: the minimum over the machine and the host's control groups.</summary>
    public long? FreeMemory { get; init; }

    /// <summary>Processes and threads that can still be started.</summary>
    public long? FreeProcesses { get; init; }

    /// <summary>The most processes and threads of the host's own control group, which its workers share.</summary>
    public long? SharedProcessLimit { get; init; }

    /// <summary>Descriptors that the host can still open.</summary>
    public long? FreeDescriptors { get; init; }

    /// <summary>For some time there have been more runnable threads than processors.</summary>
    public bool IsShortOfProcessors { get; init; }
}
