using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>A job on its way to the store.</summary>
/// <param name="kind">Its kind.</param>
/// <param name="id">Its id.</param>
/// <param name="due">When it may start.</param>
/// <param name="argumentsLength">The bytes of its arguments.</param>
/// <param name="create">Makes what is stored; the argument says whether it starts with its acceptance.</param>
internal sealed class NewJobRequest(JobKind kind, Guid id, DateTimeOffset due, int argumentsLength, Func<bool, NewJob> create)
{
    public JobKind Kind => kind;

    public Guid Id => id;

    public DateTimeOffset Due => due;

    public int ArgumentsLength => argumentsLength;

    /// <summary>What was handed to the store; <c>null</c> before. The commit fills it in.</summary>
    public NewJob? Job { get; set; }

    public NewJob Create(bool starts) => create(starts);
}
