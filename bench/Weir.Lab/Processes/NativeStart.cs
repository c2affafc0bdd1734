using Weir.Lab.Engine;

namespace Weir.Lab.Processes;

/// <summary>A web application that is published natively once, and then started in every round.</summary>
/// <param name="name">The contender.</param>
/// <param name="project">A project below bench.</param>
/// <param name="path">What is requested.</param>
/// <param name="answer">The whole body of the response.</param>
/// <param name="metric">What the time is called.</param>
internal sealed class NativeStart(string name, string project, string path, string answer, string metric) : Contender(name)
{
    private PublishedProgram? _program;

    public override Availability Availability => PublishedProgram.NeedsOfNative;

    public override bool WarmsUp => false;

    public override Task PrepareAsync(CancellationToken cancellation) =>
        Task.Run(() => _program = PublishedProgram.Publish(project, PublishedProgram.Native), cancellation);

    public override Task<Round> RunAsync(CancellationToken cancellation) => ColdStart.RunAsync(_program!.Executable, [], path, answer, metric, cancellation);

    public override ValueTask DisposeAsync()
    {
        _program?.Dispose();
        return base.DisposeAsync();
    }
}
