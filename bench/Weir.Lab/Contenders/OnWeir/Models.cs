using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A large file that every worker reads: shared by the pool, or loaded by each worker for itself.</summary>
[Service, Isolated(Pool)]
public sealed class Models(WorkerStartup startup)
{
    public const string Pool = "models";

    /// <summary>Under which the pool shares it.</summary>
    public const string Name = "model";

    private const int PageBytes = 4096;

    // A process is a worker of one pool.
    private static byte[]? _own;

    /// <summary>Reads the model for the first time in this process: its first byte, its last, and one between them.</summary>
    /// <param name="path">Of the file that the worker loads for itself; nothing where the pool shares it.</param>
    /// <param name="hold">How many milliseconds the call keeps its worker then, so that the next one comes to another worker.</param>
    /// <param name="cancellationToken">Of the call.</param>
    public async Task<ModelRead> First(string path, int hold, CancellationToken cancellationToken)
    {
        // What compiles this code, and the clock's, is no read; what compiles the code of SharedData is a part of the first one.
        Clock.SecondsSince(Clock.Now);
        var began = Clock.Now;
        var model = path.Length == 0 ? startup.SharedData(Name) : Own(path);
        var sum = model.Span[0] + model.Span[model.Length / 2] + model.Span[^1];
        var milliseconds = Clock.SecondsSince(began) * 1_000;
        await Task.Delay(hold, cancellationToken);
        return new ModelRead(Environment.ProcessId, milliseconds, sum >= 0 ? model.Length : 0);
    }

    /// <summary>Reads a byte of every page, so that all of it is in the worker's memory.</summary>
    /// <param name="path">As above.</param>
    /// <param name="hold">As above.</param>
    /// <param name="cancellationToken">Of the call.</param>
    public async Task<long> Sum(string path, int hold, CancellationToken cancellationToken)
    {
        var sum = SumOf((path.Length == 0 ? startup.SharedData(Name) : Own(path)).Span);
        await Task.Delay(hold, cancellationToken);
        return sum;
    }

    /// <summary>A byte of every page.</summary>
    internal static long SumOf(ReadOnlySpan<byte> model)
    {
        var sum = 0L;
        for (var i = 0; i < model.Length; i += PageBytes)
            sum += model[i];
        return sum;
    }

    private static byte[] Own(string path) => _own ??= File.ReadAllBytes(path);
}
