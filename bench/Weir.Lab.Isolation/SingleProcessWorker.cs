using System;
using System.Diagnostics;
using System.Globalization;

namespace Weir.Lab.Isolation;

/// <summary>One process, one task at a time, spoken to over its standard input and output.</summary>
public sealed class SingleProcessWorker : IsolatedWorker
{
    private readonly Process _process;

    public SingleProcessWorker(WorkerProgram program, string mode, TaskKind kind) => _process = program.StartPiped(mode, kind);

    public override PendingTask QueueTask(int size) => Exchange(size.ToString(CultureInfo.InvariantCulture));

    public override PendingTask QueueTask(byte[] buffer) => Exchange(Convert.ToBase64String(buffer));

    public override void Stop()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    private PendingTask Exchange(string argument)
    {
        _process.StandardInput.WriteLine(argument);
        return new PendingTask(isDone: true) { ReturnValue = _process.StandardOutput.ReadLine() };
    }
}
