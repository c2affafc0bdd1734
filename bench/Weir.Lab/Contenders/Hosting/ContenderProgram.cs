using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Hosting;

/// <summary>A contender's own process, seen from inside.</summary>
internal abstract class ContenderProgram : IAsyncDisposable
{
    /// <summary>Starts what is measured and returns how to reach it.</summary>
    public virtual Task<ControlLine> StartAsync(ControlLine settings) => Task.FromResult(new ControlLine("ready"));

    /// <summary>Does a round's work and writes down what it measured.</summary>
    public virtual Task RunAsync(ControlLine request, Round round) =>
        throw new NotSupportedException($"{GetType().Name} does no work of its own.");

    /// <summary>Answers with one line.</summary>
    public virtual Task<ControlLine> AskAsync(ControlLine request) =>
        throw new NotSupportedException($"{GetType().Name} does not know '{request.Verb}'.");

    /// <summary>Answers with several lines; with the one of <see cref="AskAsync"/> unless overridden.</summary>
    public virtual async Task<IEnumerable<ControlLine>> LinesAsync(ControlLine request) => [await AskAsync(request)];

    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
