using System.Runtime.InteropServices;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>One call of posix_spawn: descriptors, signals, process group.</summary>
internal static unsafe class PosixSpawn
{
    private const int SharedMemoryNumber = 5;

    // glibc 2.34: closes in the child the descriptors that a native library of the host opened without close-on-exec. Null where it is missing.
    private static readonly delegate* unmanaged<void*, int, int> AddCloseFrom = FindAddCloseFrom();

    /// <exception cref="LaunchException">The operating system refused.</exception>
    public static int Start(SpawnPlan plan)
    {
        var actions = NativeMemory.AllocZeroed(SpawnCalls.FileActionsSize);
        var attributes = NativeMemory.AllocZeroed(SpawnCalls.AttributesSize);
        _ = SpawnCalls.InitFileActions(actions);
        _ = SpawnCalls.InitAttributes(attributes);
        using var strings = new NativeStrings();
        try
        {
            AddFileActions(actions, plan, strings);
            SetAttributes(attributes);

            int pid;
            var request = plan.Request;
            var errno = SpawnCalls.Spawn(
                &pid,
                strings.Add(request.FileName),
                actions,
                attributes,
                strings.AddArray([request.FileName, .. request.Arguments]),
                strings.AddArray([.. request.Environment.Select(variable => $"{variable.Key}={variable.Value}")]));
            return errno == 0 ? pid : throw DescriptorSetup.Failed($"posix_spawn({request.FileName})", errno);
        }
        finally
        {
            _ = SpawnCalls.DestroyAttributes(attributes);
            _ = SpawnCalls.DestroyFileActions(actions);
            NativeMemory.Free(attributes);
            NativeMemory.Free(actions);
        }
    }

    // In this order in the child. dup2 leaves the copy without close-on-exec; the sources lie above all targets.
    private static void AddFileActions(void* actions, SpawnPlan plan, NativeStrings strings)
    {
        Check(SpawnCalls.AddOpen(actions, 0, strings.Add("/dev/null"), flags: 0, mode: 0));
        Check(SpawnCalls.AddDuplicate(actions, plan.Output.Number, 1));
        Check(SpawnCalls.AddDuplicate(actions, plan.Error.Number, 2));
        Check(SpawnCalls.AddDuplicate(actions, plan.Data.Number, 3));
        Check(SpawnCalls.AddDuplicate(actions, plan.Control.Number, 4));
        if (plan.SharedMemory is { } region)
        {
            Check(SpawnCalls.AddDuplicate(actions, region.Number, SharedMemoryNumber));
        }

        if (AddCloseFrom is not null)
        {
            Check(AddCloseFrom(actions, plan.SharedMemory is null ? SharedMemoryNumber : SharedMemoryNumber + 1));
        }

        if (plan.Request.WorkingDirectory is { } directory)
        {
            Check(SpawnCalls.AddChangeDirectory(actions, strings.Add(directory)));
        }
    }

    // No signal is blocked or ignored (the runtime ignores SIGPIPE, and exec would pass that on); the worker gets its own process group.
    private static void SetAttributes(void* attributes)
    {
        var signals = stackalloc byte[SpawnCalls.SignalSetSize];
        _ = SpawnCalls.EmptySignals(signals);
        Check(SpawnCalls.SetMask(attributes, signals));
        _ = SpawnCalls.FillSignals(signals);
        Check(SpawnCalls.SetDefaults(attributes, signals));
        Check(SpawnCalls.SetGroup(attributes, 0));
        Check(SpawnCalls.SetFlags(attributes, SpawnCalls.SetProcessGroup | SpawnCalls.SetSignalDefaults | SpawnCalls.SetSignalMask));
    }

    private static void Check(int errno)
    {
        if (errno != 0)
        {
            throw DescriptorSetup.Failed("preparing posix_spawn", errno);
        }
    }

    private static delegate* unmanaged<void*, int, int> FindAddCloseFrom()
    {
        var found = NativeLibrary.TryGetExport(NativeLibrary.GetMainProgramHandle(), "posix_spawn_file_actions_addclosefrom_np", out var address);
        return found ? (delegate* unmanaged<void*, int, int>)address : null;
    }
}
