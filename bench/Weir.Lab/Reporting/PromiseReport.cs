using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>A promise of a written run.</summary>
/// <remarks><c>close</c>: a ratio nearer to its limit than the resolution; the next run may decide otherwise.</remarks>
internal sealed record PromiseReport(string Text, double? Value, double Limit, string Relation, bool Holds, string Kind, bool Close)
{
    private const string Ratio = "ratio";

    /// <summary>The same promise on a machine that turned out to be coarser.</summary>
    public PromiseReport At(double resolution) => this with { Close = Kind == Ratio && Promise.IsClose(Value, Limit, resolution) };

    public static PromiseReport Of(Promise promise, double resolution) => new(
        promise.Text,
        promise.Value is { } value && double.IsFinite(value) ? value : null,
        promise.Limit,
        promise.Relation switch
        {
            Engine.Relation.AtMost => "<=",
            Engine.Relation.AtLeast => ">=",
            _ => "==",
        },
        promise.Holds,
        promise.Kind switch
        {
            PromiseKind.Count => "count",
            PromiseKind.Ratio => Ratio,
            _ => "latency",
        },
        promise.IsClose(resolution));
}
