using System.Text;
using Weir.Execution.Pools;
using Weir.Execution.Processes;
using Xunit;

namespace Weir.IntegrationTests.Processes;

public class OutputTests
{
    [Fact]
    public async Task Both_outputs_are_read_line_by_line_with_the_unfinished_last_one()
    {
        await using var launched = await Launched.ShellAsync("echo out; echo err >&2; printf 'no end'");
        await launched.ExitAsync();
        Assert.Equal(["out", "no end"], launched.Log.Lines.Where(line => line.Stream == OutputStream.Standard).Select(line => line.Text));
        Assert.Equal(["err"], launched.Log.Lines.Where(line => line.Stream == OutputStream.Error).Select(line => line.Text));
        var tail = launched.Worker.ReadOutputTail();
        Assert.Contains("err\n", tail, StringComparison.Ordinal);
        Assert.Contains("no end", tail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_line_is_read_while_the_worker_lives()
    {
        await using var launched = await Launched.ShellAsync("echo started; sleep 60");
        Assert.Equal("started", await launched.Log.First.Task.WithinAsync(60));
        Assert.False(launched.Worker.Exited.IsCompleted);
    }

    [Fact]
    public async Task Output_of_other_workers_is_read_while_one_floods()
    {
        await using var flooder = await Launched.ShellAsync("yes >&2");
        for (var i = 0; i < 20; i++)
        {
            await using var quiet = await Launched.ShellAsync("echo here");
            await quiet.Worker.Exited.WithinAsync(30);
            Assert.Equal("here", Assert.Single(quiet.Log.Lines).Text);
        }
    }

    [Fact]
    public async Task A_worker_whose_output_cannot_be_handed_over_is_reaped_all_the_same_and_its_pipe_is_closed()
    {
        // The background process holds the pipe open, so the unfinished line is handed over when the worker is reaped. The line is the pipe's name.
        var sink = new ThrowingSink();
        await using var worker = await WorkerLauncherFactory.ForThisPlatform().LaunchAsync(new LaunchRequest
        {
            FileName = "/bin/sh",
            Arguments = ["-c", "printf %s \"$(readlink /proc/$$/fd/1)\"; sleep 60 & exit 3"],
            Environment = new Dictionary<string, string> { ["PATH"] = "/usr/bin:/bin" },
            Limits = WorkerLimits.None,
            Output = sink,
        });
        Assert.Equal(3, (await worker.Exited.WithinAsync(20)).ExitCode);
        Assert.StartsWith("pipe:", sink.Line, StringComparison.Ordinal);
        Assert.DoesNotContain(sink.Line, ProcFiles.WorkerDescriptors());
    }

    private sealed class ThrowingSink : IOutputSink
    {
        public string Line { get; private set; } = "";

        public void OnLine(OutputStream stream, ReadOnlySpan<byte> utf8, bool cut)
        {
            Line = Encoding.UTF8.GetString(utf8);
            throw new InvalidOperationException("no place for a line");
        }
    }
}
