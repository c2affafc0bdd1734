using System.IO.Pipelines;

namespace Weir.Execution.Pipeline;

/// <summary>The reader that an operation returned to code. Completing it disposes what it was read from, too.</summary>
/// <param name="content">What the operation, or a filter, returned.</param>
/// <param name="resources">Disposed after it.</param>
internal sealed class ResultReader(PipeReader content, CallResources resources) : PipeReader
{
    public override bool TryRead(out ReadResult result) => content.TryRead(out result);

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) => content.ReadAsync(cancellationToken);

    public override void AdvanceTo(SequencePosition consumed) => content.AdvanceTo(consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => content.AdvanceTo(consumed, examined);

    public override void CancelPendingRead() => content.CancelPendingRead();

    public override void Complete(Exception? exception = null)
    {
        try
        {
            content.Complete(exception);
        }
        finally
        {
            resources.Dispose();
        }
    }

    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        try
        {
            await content.CompleteAsync(exception);
        }
        finally
        {
            await resources.DisposeAsync();
        }
    }

    protected override ValueTask<ReadResult> ReadAtLeastAsyncCore(int minimumSize, CancellationToken cancellationToken) => content.ReadAtLeastAsync(minimumSize, cancellationToken);
}
