using Weir.Execution.Pools.Options;

namespace Weir.Tests.Processes;

/// <summary>What the log has of the last output of a worker; the outputs are those of real workers.</summary>
public sealed class PrintedTextTests
{
    // Of a worker that runs as a program of its own.
    private const string BelowOperation =
        """
           at Weir.Generated.Labels.PrinterOperations+DieCall.InvokeAsync(System.Object, System.Threading.CancellationToken)
           at Weir.Worker.Calls.CallExecution.Execute()
           at Weir.Worker.Calls.CallExecution.Run()
           at Weir.Worker.Session.DataLoop.OnFrame(Weir.Protocol.Frames.Frame ByRef)
           at Weir.Worker.Session.DataLoop.Run()
           at Weir.Worker.WorkerMain.Run(Weir.Worker.Platform.WorkerArguments, System.Func`1<System.Collections.Generic.IReadOnlyList`1<Weir.Runtime.ServiceCatalog>>)
           at Weir.Worker.Program.Main(System.String[])
        """;

    // Of one that is the application itself, published as one file.
    private const string BelowOperationInOneFile =
        """
           at Weir.Generated.Labels.PrinterOperations+DieCall.InvokeAsync(System.Object, System.Threading.CancellationToken)
           at Weir.Worker.Calls.CallExecution+<ExecuteAsync>d__30.MoveNext()
           at System.Runtime.CompilerServices.AsyncMethodBuilderCore.Start[[Weir.Worker.Calls.CallExecution+<ExecuteAsync>d__30, Weir.Worker, Version=0.1.0.0, Culture=neutral, PublicKeyToken=null]](<ExecuteAsync>d__30 ByRef)
           at Weir.Worker.Session.DataLoop.Run()
           at Weir.WeirWorker.TryRun(System.String[])
           at Program.<Main>$(System.String[])
        """;

    public static TheoryData<string> Below => [BelowOperation, BelowOperationInOneFile];

    [Theory]
    [MemberData(nameof(Below))]
    public void FailFast_keeps_its_message_and_the_frames_down_to_the_operation(string below)
    {
        const string Failure =
            """
            Process terminated.
            the driver of the label printer is broken
               at System.Environment.FailFast(System.String)
               at Labels.Driver.Open(Int32)
               at Labels.Printer.Die(System.String)
            """;
        Assert.Equal($"{Failure}\n   … {below.Split('\n').Length} frames of Weir and its caller", PrintedText.Shorten($"{Failure}\n{below}\n").TrimEnd('\n'));
    }

    [Fact]
    public void An_unhandled_exception_keeps_its_inner_ones()
    {
        const string Failure =
            """
            Unhandled exception. System.InvalidOperationException: outer
             ---> System.IO.IOException: inner
               at Labels.Driver.Open(Int32) in /src/Driver.cs:line 12
               --- End of inner exception stack trace ---
               at Labels.Printer.Die(String) in /src/Printer.cs:line 40
               at System.Threading.Thread.StartCallback()
            """;
        Assert.Equal(Failure, PrintedText.Shorten(Failure));
    }

    [Fact]
    public void A_stack_overflow_keeps_what_is_repeated_and_who_began_it()
    {
        const string Failure =
            """
            Stack overflow.
            Repeated 7373 times:
            --------------------------------
               at Labels.Printer.Recurse(Int32)
            --------------------------------
               at Labels.Printer.Die(System.String)
            """;
        Assert.Equal($"{Failure}\n   … 7 frames of Weir and its caller", PrintedText.Shorten($"{Failure}\n{BelowOperation}"));

        // An operation that calls itself: all that is not Weir's is repeated.
        var itself = Failure[..Failure.LastIndexOf("\n   at", StringComparison.Ordinal)];
        Assert.Equal($"{itself}\n   … 7 frames of Weir and its caller", PrintedText.Shorten($"{itself}\n{BelowOperation}"));

        // A runtime that does not count.
        var frames = string.Concat(Enumerable.Repeat("\n   at Labels.Printer.Recurse(Int32)", 20_000));
        Assert.Equal("Stack overflow.\n   at Labels.Printer.Recurse(Int32)\n   … 19999 times more\n   at Labels.Printer.Die()", PrintedText.Shorten($"Stack overflow.{frames}\n   at Labels.Printer.Die()"));
    }

    [Fact]
    public void A_failure_of_Weir_itself_keeps_its_frames()
    {
        var failure = $"Process terminated.\nit broke\n{BelowOperation}";
        Assert.Equal(failure, PrintedText.Shorten(failure));
    }

    [Fact]
    public void A_long_message_a_deep_stack_and_what_was_printed_before_leave_space_for_each_other()
    {
        var before = string.Concat(Enumerable.Range(0, 5000).Select(static i => $"progress {i}\n"));
        var frames = string.Join('\n', Enumerable.Range(0, 1000).Select(static i => $"   at Labels.Printer.Step{i}()"));
        var text = PrintedText.Shorten($"{before}Process terminated.\nbegins {new string('x', 20_000)} ends\n{frames}\n{BelowOperation}");
        Assert.InRange(text.Length, 4500, 5200);
        foreach (var part in (string[])["progress 4999\nProcess terminated.\nbegins xxx", "xxx ends\n", "   at Labels.Printer.Step0()\n   at Labels.Printer.Step1()", "   at Labels.Printer.Step999()\n   … 7 frames"])
        {
            Assert.Contains(part, text, StringComparison.Ordinal);
        }

        Assert.DoesNotContain("progress 0\n", text, StringComparison.Ordinal);
        Assert.DoesNotContain("Weir.Worker.", text, StringComparison.Ordinal);
    }
}
