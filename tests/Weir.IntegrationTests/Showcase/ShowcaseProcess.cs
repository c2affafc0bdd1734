using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>
/// The real showcase in a process of its own, on a free port. Its address is known once it has printed what it serves;
/// disposing it ends it in every state.
/// </summary>
internal sealed partial class ShowcaseProcess : IAsyncDisposable
{
    private const int SigTerm = 15;
    private const double StartSeconds = 60;
    private const double EndSeconds = 60;

    private readonly Process _process;
    private readonly StringBuilder _output = new();
    private readonly TaskCompletionSource<Uri> _address = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _reading;

    private ShowcaseProcess(string program, IEnumerable<string> arguments, IReadOnlyDictionary<string, string>? environment, string? before)
    {
        string[] command = program.EndsWith(".dll", StringComparison.Ordinal) ? [Muxer, program, .. arguments] : [program, .. arguments];
        var start = new ProcessStartInfo(before is null ? command[0] : "/bin/sh", before is null ? command[1..] : ["-c", $"{before} && exec \"$0\" \"$@\"", .. command])
        {
            // Not its own directory: nothing it needs may depend on where it is started from.
            WorkingDirectory = Path.GetTempPath(),
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        // Beside other tests an interpreter may take longer to start than the default allows.
        start.Environment["Weir__PoolDefaults__StartTimeout"] = "00:01:00";
        foreach (var (name, value) in environment ?? new Dictionary<string, string>())
        {
            start.Environment[name] = value;
        }

        _process = Process.Start(start)!;
        _process.StandardInput.Close();
        _reading = Task.WhenAll(ReadAsync(_process.StandardOutput), ReadAsync(_process.StandardError));
    }

    /// <summary>The showcase's assembly, as this project built it.</summary>
    public static string Assembly { get; } =
        typeof(ShowcaseProcess).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static attribute => attribute.Key == "Showcase").Value!;

    /// <summary>The environment that <c>dotnet run</c> gives it, by its launch settings.</summary>
    public static IReadOnlyDictionary<string, string> Development { get; } = new Dictionary<string, string> { ["ASPNETCORE_ENVIRONMENT"] = "Development" };

    /// <summary>Where it listens.</summary>
    public Uri Address { get; private set; } = null!;

    /// <summary>Asks it; made for one showcase, its requests have 100 s.</summary>
    public HttpClient Client { get; private set; } = null!;

    public int Pid => _process.Id;

    /// <summary>Everything it printed so far, to stdout and stderr.</summary>
    public string Output
    {
        get
        {
            lock (_output)
            {
                return _output.ToString();
            }
        }
    }

    private static string Muxer => Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";

    /// <summary>Starts it and waits until it serves.</summary>
    /// <param name="arguments">More arguments than <c>--urls</c>.</param>
    /// <param name="environment">Variables to add.</param>
    /// <param name="assembly">Another application, treated alike: an assembly or an executable; <c>null</c> is the showcase.</param>
    /// <param name="before">A shell's command that limits the process before it becomes the application; <c>null</c> for none.</param>
    public static async Task<ShowcaseProcess> StartAsync(
        IEnumerable<string>? arguments = null, IReadOnlyDictionary<string, string>? environment = null, string? assembly = null, string? before = null)
    {
        var showcase = new ShowcaseProcess(assembly ?? Assembly, ["--urls", "http://127.0.0.1:0", .. arguments ?? []], environment, before);
        try
        {
            showcase.Address = await showcase._address.Task.WithinAsync(StartSeconds);
            showcase.Client = new HttpClient(new SocketsHttpHandler()) { BaseAddress = showcase.Address };
            return showcase;
        }
        catch (Exception failure)
        {
            await showcase.DisposeAsync();
            throw new InvalidOperationException($"The showcase did not start. It printed:\n{showcase.Output}", failure);
        }
    }

    /// <summary>Asks it to end, as an operator would, and gives its exit code.</summary>
    public async Task<int> TerminateAsync()
    {
        Assert.Equal(0, Signal(Pid, SigTerm));
        return await EndAsync();
    }

    /// <summary>Ends it without asking (SIGKILL); its workers are not killed by this method.</summary>
    public async Task<int> KillAsync()
    {
        _process.Kill();
        return await EndAsync();
    }

    /// <summary>The processes it started and that still run.</summary>
    public IReadOnlyList<int> Workers() => [.. ProcFiles.AllPids().Where(pid => ProcFiles.Stat(pid) is { State: not 'Z' and not 'X' } stat && stat.Parent == Pid)];

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            await KillAsync();
        }

        Client?.Dispose();
        _process.Dispose();
    }

    private async Task<int> EndAsync()
    {
        await _process.WaitForExitAsync().WaitAsync(TimeSpan.FromSeconds(EndSeconds), TimeProvider.System);
        await _reading.WaitAsync(TimeSpan.FromSeconds(EndSeconds), TimeProvider.System);
        return _process.ExitCode;
    }

    private async Task ReadAsync(StreamReader reader)
    {
        while (await reader.ReadLineAsync() is { } line)
        {
            lock (_output)
            {
                _output.AppendLine(line);
            }

            if (ServedAt().Match(line) is { Success: true } match)
            {
                _address.TrySetResult(new Uri(match.Groups[1].Value));
            }
        }

        _address.TrySetException(new EndOfStreamException("It closed its output before it said where it listens."));
    }

    [GeneratedRegex(@"(?:Weir showcase at|Now listening on:) (http://\S+)")]
    private static partial Regex ServedAt();

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Signal(int pid, int signal);
}
