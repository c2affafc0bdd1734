using System.ComponentModel;
using System.Diagnostics;
using System.IO.Pipes;

namespace Weir.Execution.Processes.Portable;

/// <summary>
/// Starts workers with what every operating system has: <see cref="Process"/>, and two named pipes of this user that the worker
/// connects to. Few limits can be applied from outside, there is no shared memory, and no descriptor is inherited.
/// </summary>
internal sealed class PortableLauncher : IWorkerLauncher
{
    public WorkerLimits Prepare(ILimitOptions options) => PortableLimits.Prepare(options);

    public async Task<WorkerHandle> LaunchAsync(LaunchRequest request)
    {
        // 1. The pipes exist before the worker connects. The name cannot be guessed, and only this user may open the pipes.
        var name = $"weir-{Guid.NewGuid():N}";
        var data = new PipeChannel(Create(name + "-data"));
        var control = new PipeChannel(Create(name + "-control"));
        try
        {
            // 2. Spawn, on the thread that never ends; the limits are applied before any frame is sent to the worker.
            var process = await SpawnThread.Shared.SpawnAsync(() => Start(request, name)).ConfigureAwait(false);
            return new PortableWorkerHandle(process, data, control, request.Output, Limit(process, request.Limits));
        }
        catch
        {
            data.Dispose();
            control.Dispose();
            throw;
        }
    }

    private static AppliedLimits Limit(Process process, WorkerLimits limits)
    {
        try
        {
            return PortableLimits.Apply(process, limits);
        }
        catch
        {
            using (process)
            {
                process.Kill(entireProcessTree: true);
            }

            throw;
        }
    }

    private static NamedPipeServerStream Create(string name) =>
        new(name, PipeDirection.InOut, maxNumberOfServerInstances: 1, PipeTransmissionMode.Byte, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);

    private static Process Start(LaunchRequest request, string name)
    {
        var info = new ProcessStartInfo(request.FileName)
        {
            UseShellExecute = false,
            CreateNoWindow = true,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = request.WorkingDirectory ?? "",
        };
        foreach (var argument in (IEnumerable<string>)[.. request.Arguments, "--pipes", name])
        {
            info.ArgumentList.Add(argument);
        }

        info.Environment.Clear();
        foreach (var (variable, value) in request.Environment)
        {
            info.Environment[variable] = value;
        }

        try
        {
            var process = Process.Start(info)!;
            process.StandardInput.Close();
            return process;
        }
        catch (Win32Exception refused)
        {
            throw new LaunchException(WeirCodes.WorkerStartRefused, $"{request.FileName} could not be started: {refused.Message} (error {refused.NativeErrorCode}).");
        }
    }
}
