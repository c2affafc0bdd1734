using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Weir.Jobs.Tests.Faults;

/// <summary>A process of the application under test. One that does not end in time is a failure, with what it said.</summary>
internal sealed class HostProcess : IDisposable
{
    private readonly Process _process;
    private readonly StringBuilder _said = new();
    private readonly Task _reading;
    private bool _isDisposed;

    public HostProcess(string file, IEnumerable<string> arguments, string directory)
    {
        var start = new ProcessStartInfo(file, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["WEIR_FAULTS_DIRECTORY"] = directory;

        // A process that is ended on purpose leaves no image of its memory.
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        _process = Process.Start(start)!;
        _reading = Task.WhenAll(ReadAsync(_process.StandardOutput), ReadAsync(_process.StandardError));
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    public string Said
    {
        get
        {
            lock (_said)
            {
                return _said.ToString();
            }
        }
    }

    /// <summary>Waits until it has said a line.</summary>
    public async Task SaysAsync(string line)
    {
        var began = Stopwatch.GetTimestamp();
        while (!Said.Contains(line, StringComparison.Ordinal))
        {
            Assert.False(_process.HasExited || Stopwatch.GetElapsedTime(began) > TimeSpan.FromSeconds(60), $"It has not said '{line}': {Said}");
            await Task.Delay(10, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>Waits for its end.</summary>
    public async Task<int> ExitAsync(double seconds = 60)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(TimeSpan.FromSeconds(seconds));
        try
        {
            await _process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            _process.Kill(entireProcessTree: true);
            Assert.Fail($"It has not ended after {seconds} s: {Said}");
        }

        await _reading.WaitAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return _process.ExitCode;
    }

    public async Task KillAsync()
    {
        _process.Kill();
        await ExitAsync();
    }

    /// <summary>As a service manager stops it.</summary>
    public void Terminate()
    {
        using var kill = Process.Start("kill", ["-TERM", Id.ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    public void Dispose()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
            _process.WaitForExit();
        }

        _process.Dispose();
    }

    private async Task ReadAsync(StreamReader reader)
    {
        while (await reader.ReadLineAsync() is { } line)
        {
            lock (_said)
            {
                _said.AppendLine(line);
            }
        }
    }
}
