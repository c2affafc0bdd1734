using System.Runtime.CompilerServices;
using System.Security.Claims;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A worker that shows what holds for it, and misbehaves as requested.</summary>
[Service, Isolated(Pool)]
public sealed class Controlled(WorkerConfiguration configuration, WorkerStartup startup) : IWarmUp
{
    public const string Pool = "controlled";

    /// <summary>The variable that makes the warm-up fail (<c>throws</c>) or not to end (<c>hangs</c>).</summary>
    public const string ColdVariable = "WEIR_LAB_COLD";

    private const int BlockBytes = 64 * 1024;
    private const int PageBytes = 4096;
    private const int CrashExitCode = 3;

    // Kept as a leak keeps it.
    private static readonly List<byte[]> Leaked = [];
    private static int _warmUps;
    private static int _together;

    public int ProcessId() => Environment.ProcessId;

    public int WarmUps() => _warmUps;

    public int LengthOf(ReadOnlyMemory<byte> data) => data.Length;

    /// <summary>A value of the pool's configuration, or nothing.</summary>
    public string Configured(string key) => configuration[key];

    /// <summary>The length of what the workers of the pool share under a name.</summary>
    public int Shared(string name) => startup.SharedData(name).Length;

    /// <summary>The name of the caller, or nothing.</summary>
    public string Caller(ClaimsPrincipal user) => user.Identity?.Name ?? "";

    /// <summary>Waits without a thread; how many did, itself included, when it began to.</summary>
    public async Task<int> Together(int milliseconds, CancellationToken cancellationToken)
    {
        var together = Interlocked.Increment(ref _together);
        await Task.Delay(milliseconds, cancellationToken);
        Interlocked.Decrement(ref _together);
        return together;
    }

    /// <summary>Ignores its cancellation.</summary>
    public int Ignore(int milliseconds)
    {
        Thread.Sleep(milliseconds);
        return milliseconds;
    }

    /// <summary>Computes without an end; a file says that it has begun.</summary>
    public int Spin(string path)
    {
        File.WriteAllText(path, "");
        var number = Environment.ProcessId;
        while (number != 0)
            number = (number ^ 2) | 1;
        return number;
    }

    /// <summary>Exits the worker process. An unexplained SIGKILL would not count against the call. Different numbers make different calls.</summary>
    [Idempotent]
    public int Crash(int number)
    {
        Kernel.Exit(CrashExitCode);
        return number;
    }

    /// <summary>The same, unless there is such a file.</summary>
    public int CrashWithout(string path)
    {
        if (!File.Exists(path))
            Kernel.Exit(CrashExitCode);
        return Environment.ProcessId;
    }

    /// <summary>Memory that was used once and is never given back.</summary>
    public int Leak(int megabytes)
    {
        var block = new byte[megabytes << 20];
        for (var i = 0; i < block.Length; i += PageBytes)
            block[i] = 1;
        lock (Leaked)
            Leaked.Add(block);
        return Environment.ProcessId;
    }

    /// <summary>More items than any caller takes.</summary>
    public async IAsyncEnumerable<byte[]> Blocks([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            yield return new byte[BlockBytes];
            await Task.Yield();
        }
    }

    public async ValueTask WarmUpAsync(CancellationToken cancellationToken)
    {
        _warmUps++;
        switch (Environment.GetEnvironmentVariable(ColdVariable))
        {
            case "throws":
                throw new InvalidOperationException("It stays cold, as asked.");
            case "hangs":
                await Task.Delay(Timeout.Infinite, cancellationToken);
                break;
        }
    }
}
