namespace Weir.Execution;

/// <summary>A call of a batch, in the one list it is in.</summary>
internal abstract class EndedCall
{
    public EndedCall? Next { get; set; }
}
