using System.Diagnostics;
using System.Threading.Channels;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>A contender in a process of its own, spoken to by lines over its standard input and output.</summary>
/// <remarks>One question at a time. What it prints besides is kept as the tail of its output.</remarks>
internal sealed class ContenderProcess : IAsyncDisposable
{
    // For a process that was asked to end. A server whose abandoned streams occupy all its threads does not; it is killed.
    private static readonly TimeSpan GoodbyePatience = TimeSpan.FromSeconds(2);

    // For a process that ends by itself: the kernel may still write its core.
    private static readonly TimeSpan EndPatience = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan OutputPatience = TimeSpan.FromMilliseconds(500);

    private readonly Process _process;

    // Null when it works in the lab's own folder.
    private readonly DirectoryInfo? _folder;
    private readonly OutputTail _tail = new();

    // Bounded by the protocol: a contender speaks only when asked, and a round has few readings.
    private readonly Channel<ControlLine> _lines = Channel.CreateUnbounded<ControlLine>();
    private readonly Task _reading;
    private readonly Task _readingErrors;

    private ContenderProcess(Process process, DirectoryInfo? folder)
    {
        _process = process;
        _folder = folder;
        Meter = new ProcessMeter(process.Id);
        process.EnableRaisingEvents = true;
        process.Exited += (_, _) => _ = CompleteAsync();
        _reading = ReadAsync(process.StandardOutput);
        _readingErrors = ReadErrorsAsync(process.StandardError);
    }

    public int Pid => Meter.Pid;

    public ProcessMeter Meter { get; }

    /// <summary>What it said when it was ready: its port, its runtime.</summary>
    public ControlLine Ready { get; private set; } = new("nothing");

    /// <summary>What it runs on, in its own words; null when it did not say.</summary>
    public string? Runtime => Ready.Text("runtime", "") is { Length: > 0 } runtime ? $"{runtime}{(Ready.Is("gc", "server") ? ", server GC" : "")}" : null;

    /// <summary>Lines of output that were no control lines, as they come. Raised on the reading thread.</summary>
    public event Action<string>? Printed;

    public bool HasExited => _process.HasExited;

    /// <summary>What it printed last.</summary>
    public string Output => _tail.ToString();

    /// <summary>Starts a contender and waits until it says that it is ready.</summary>
    public static async Task<ContenderProcess> StartAsync(ProgramLaunch launch, CancellationToken cancellation)
    {
        var folder = launch.HasOwnFolder ? Directory.CreateTempSubdirectory("weir-lab-contender-") : null;
        var contender = new ContenderProcess(Launch(launch, folder), folder);
        try
        {
            contender.Ready = await contender.NextAsync(cancellation);
            return contender;
        }
        catch
        {
            await contender.DisposeAsync();
            throw;
        }
    }

    /// <summary>Asks for one round and collects its readings and events.</summary>
    public async Task<Round> RunAsync(ControlLine request, CancellationToken cancellation)
    {
        var round = new Round();
        await SendAsync(request);
        while (round.Take(await NextAsync(cancellation)))
        {
            // A line says one thing.
        }

        return round;
    }

    /// <summary>Asks something that has one line as answer.</summary>
    public async Task<ControlLine> AskAsync(ControlLine request, CancellationToken cancellation)
    {
        await SendAsync(request);
        return await NextAsync(cancellation);
    }

    /// <summary>What its runtime has counted so far; only contenders on .NET know the verb.</summary>
    public async Task<Counters> CountersAsync(CancellationToken cancellation) => Counters.Of(await AskAsync(new ControlLine("counters"), cancellation));

    /// <summary>Ends it at once, as an administrator or the out-of-memory killer would.</summary>
    public void Kill() => _process.Kill();

    /// <summary>Ends it with all that it started.</summary>
    public void KillAll() => _process.Kill(entireProcessTree: true);

    /// <summary>Closes its input, which asks it to end; what does not end is killed, with all that it started.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It is gone already.
        }

        using var patience = new CancellationTokenSource(GoodbyePatience);
        try
        {
            await _process.WaitForExitAsync(patience.Token);
        }
        catch (OperationCanceledException)
        {
            _process.Kill(entireProcessTree: true);
        }

        // A process that it started may hold the pipes open: the lab does not wait for that.
        await Task.WhenAny(Task.WhenAll(_reading, _readingErrors), Task.Delay(GoodbyePatience));
        _process.Dispose();
        _folder?.Delete(recursive: true);
    }

    private static Process Launch(ProgramLaunch launch, DirectoryInfo? folder)
    {
        var start = new ProcessStartInfo(launch.File, launch.Arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder?.FullName ?? "",
        };
        foreach (var (name, value) in launch.Environment)
            start.Environment[name] = value;
        return Process.Start(start)!;
    }

    private async Task SendAsync(ControlLine line)
    {
        try
        {
            await _process.StandardInput.WriteLineAsync(line.ToString());
            await _process.StandardInput.FlushAsync();
        }
        catch (IOException)
        {
            throw await EndedAsync();
        }
    }

    private async Task<ControlLine> NextAsync(CancellationToken cancellation)
    {
        if (!await _lines.Reader.WaitToReadAsync(cancellation) || !_lines.Reader.TryRead(out var line))
            throw await EndedAsync();

        return line.Verb == "error" ? throw new ContenderException(line["message"]) : line;
    }

    private async Task<ContenderException> EndedAsync()
    {
        using var patience = new CancellationTokenSource(EndPatience);
        try
        {
            await _process.WaitForExitAsync(patience.Token);
        }
        catch (OperationCanceledException)
        {
            return new ContenderException($"its process closed its output and continues. {Output}");
        }

        await Task.WhenAny(_readingErrors, Task.Delay(EndPatience));
        return new ContenderException($"its process ended with code {_process.ExitCode}. {Output}") { HasEnded = true };
    }

    // A process that it started may hold its output open: then its end is not the end of the output.
    private async Task CompleteAsync()
    {
        await Task.WhenAny(_reading, Task.Delay(OutputPatience));
        _lines.Writer.TryComplete();
    }

    private async Task ReadAsync(StreamReader reader)
    {
        while (await reader.ReadLineAsync() is { } text)
        {
            if (ControlLine.Parse(text) is { } line)
            {
                _lines.Writer.TryWrite(line);
                continue;
            }

            _tail.Add(text);
            Printed?.Invoke(text);
        }

        _lines.Writer.TryComplete();
    }

    private async Task ReadErrorsAsync(StreamReader reader)
    {
        while (await reader.ReadLineAsync() is { } text)
        {
            _tail.Add(text);
            Printed?.Invoke(text);
        }
    }
}
