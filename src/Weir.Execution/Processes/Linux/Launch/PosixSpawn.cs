using System.Runtime.InteropServices;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>One call of posix_spawn: descriptors, signals, process group.</summary>
internal static unsafe class PosixSpawn
{
    private const int SharedMemoryNumber = 5;
    private const int FirstSharedDataNumber = 6;

    // glibc 2.34: closes in the child the descriptors that a native library of the host opened without close-on-exec. Null where it is missing.
    private static readonly delegate* unmanaged<void*, int, int> AddCloseFrom = FindAddCloseFrom();

    /// <exception cref="LaunchException">The operating system refused.</exception>
    public static int Start(SpawnPlan plan) => Start(
        plan.Request.FileName, plan.Request.Arguments, plan.Request.Environment.Select(static variable => $"{variable.Key}={variable.Value}"), (actions, strings) => AddFileActions((void*)actions, plan, strings));

    /// <summary>Starts a program that prints to nowhere, has no environment, and ends by itself.</summary>
    /// <exception cref="LaunchException">The operating system refused.</exception>
    public static int StartQuiet(string program, IReadOnlyList<string> arguments) => Start(program, arguments, [], static (actions, strings) =>
    {
        for (var number = 0; number <= 2; number++)
        {
            Check(SpawnCalls.AddOpen((void*)actions, number, strings.Add("/dev/null"), flags: 2, mode: 0));
        }

        if (AddCloseFrom is not null)
        {
            Check(AddCloseFrom((void*)actions, 3));
        }
    });

    private static int Start(string program, IReadOnlyList<string> arguments, IEnumerable<string> environment, Action<nint, NativeStrings> prepare)
    {
        var actions = NativeMemory.AllocZeroed(SpawnCalls.FileActionsSize);
        var attributes = NativeMemory.AllocZeroed(SpawnCalls.AttributesSize);
        _ = SpawnCalls.InitFileActions(actions);
        _ = SpawnCalls.InitAttributes(attributes);
        using var strings = new NativeStrings();
        try
        {
            prepare((nint)actions, strings);
            SetAttributes(attributes);

            int pid;
            var errno = SpawnCalls.Spawn(
                &pid,
                strings.Add(program),
                actions,
                attributes,
                strings.AddArray([program, .. arguments]),
                strings.AddArray([.. environment]));
            return errno == 0 ? pid : throw DescriptorSetup.Failed($"posix_spawn({program})", errno);
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

        else if (plan.SharedData.Count > 0)
        {
            // Not what the host has under that number.
            Check(SpawnCalls.AddOpen(actions, SharedMemoryNumber, strings.Add("/dev/null"), flags: 0, mode: 0));
        }

        for (var i = 0; i < plan.SharedData.Count; i++)
        {
            Check(SpawnCalls.AddDuplicate(actions, plan.SharedData[i].Number, FirstSharedDataNumber + i));
        }

        if (AddCloseFrom is not null)
        {
            Check(AddCloseFrom(actions, plan.SharedMemory is null && plan.SharedData.Count == 0 ? SharedMemoryNumber : FirstSharedDataNumber + plan.SharedData.Count));
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
