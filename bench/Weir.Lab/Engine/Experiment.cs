namespace Weir.Lab.Engine;

/// <summary>A question, the work that answers it, and what Weir promises about the answer.</summary>
internal abstract class Experiment
{
    /// <summary>What <c>lab run</c> calls it.</summary>
    public abstract string Name { get; }

    /// <summary>What is asked, in one sentence.</summary>
    public abstract string Question { get; }

    /// <summary>The source document it reproduces, or null.</summary>
    public abstract string? Document { get; }

    /// <summary>What a quick run does not measure because it takes too long, or null.</summary>
    public virtual string? QuickLeavesOut => null;

    /// <summary>About how long it takes; only progress and its time left depend on it.</summary>
    public abstract TimeSpan Estimate(Scale scale);

    /// <summary>The cases in the order in which they run; contenders are created here and started later.</summary>
    public abstract IEnumerable<Case> Cases(Scale scale);

    /// <summary>What Weir promises, from the rows of all cases.</summary>
    public virtual IEnumerable<Promise> Promises(Measured measured, Scale scale) => [];
}
