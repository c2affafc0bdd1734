using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Weir;

[Service]
public sealed class Greeter
{
    [Get] public string Hello(string name) => $"Hello, {name}";

    [Get]
    public async IAsyncEnumerable<int> Count(int to)
    {
        for (var i = 1; i <= to; i++)
        {
            await Task.Delay(1);
            yield return i;
        }
    }

    [Get, Blocking]
    public string Legacy(int ms)
    {
        Thread.Sleep(ms);
        return "done";
    }

    [Get] public int WhoAmI() => Environment.ProcessId;
}

public sealed record Order(string Name, int Amount);

/// <summary>Runs in workers; some of it ends them.</summary>
[Service, Isolated("remote")]
public sealed partial class Remote
{
    [Get] public int WhoAmI() => Environment.ProcessId;

    [Get]
    public async IAsyncEnumerable<int> Count(int to, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (var i = 1; i <= to; i++)
        {
            await Task.Delay(1, cancellationToken);
            yield return i;
        }
    }

    public Order Double(Order order) => order with { Amount = order.Amount * 2 };

    public byte[] Reverse(byte[] data)
    {
        Array.Reverse(data);
        return data;
    }

    /// <summary>How the runtime of this process was set up.</summary>
    [Get]
    public string Runtime() =>
        $"server={System.Runtime.GCSettings.IsServerGC} concurrent={System.Runtime.GCSettings.LatencyMode} processors={Environment.ProcessorCount} heap={GC.GetGCMemoryInfo().TotalAvailableMemoryBytes >> 20} jit={RuntimeFeature.IsDynamicCodeCompiled}";

    public void Fail() => throw new InvalidOperationException("on purpose");

    public void Loop()
    {
        while (true)
        {
        }
    }

    public void FailFast() => Environment.FailFast("on purpose");

    public void Unhandled()
    {
        new Thread(static () => throw new InvalidOperationException("thrown on a thread of its own")).Start();
        Thread.Sleep(Timeout.Infinite);
    }

    public int Overflow(int depth) => Recurse(depth);

    public void Segv() => Fill(8, 0, 1);

    /// <summary>Allocates until there is no memory left, and keeps it.</summary>
    public int EatMemory()
    {
        var eaten = new List<byte[]>();
        while (true)
        {
            var block = new byte[1 << 20];
            block.AsSpan().Fill(1);
            eaten.Add(block);
        }
    }

    private static int Recurse(int depth)
    {
        Span<byte> frame = stackalloc byte[1024];
        frame.Fill((byte)depth);
        return Recurse(depth + 1) + frame[depth & 1023];
    }

    [LibraryImport("libc", EntryPoint = "memset")]
    private static partial nint Fill(nint address, int value, nuint count);
}

public sealed class Clock
{
    public string Name => "clock";
}

/// <summary>Takes services, which its worker builds.</summary>
[Service, Isolated("clocks")]
public sealed class Clocks(Clock clock, ILogger<Clocks> logger)
{
    [Get]
    public string Read()
    {
        logger.LogInformation("read by {Name}", clock.Name);
        return $"{clock.Name} in {Environment.ProcessId}";
    }
}

internal static class WorkerSetup
{
    [WorkerServices]
    internal static void Configure(IServiceCollection services, WorkerStartup startup) => services.AddSingleton<Clock>();
}

/// <summary>Served by a worker in Python.</summary>
[Service, Isolated("python")]
public interface IText
{
    [Get] ValueTask<string> Shout(string text);
}
