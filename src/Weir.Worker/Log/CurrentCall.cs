namespace Weir.Worker.Log;

/// <summary>The call that this flow of control belongs to; 0 outside of calls. Follows the code into tasks and threads it starts.</summary>
internal static class CurrentCall
{
    private static readonly AsyncLocal<ulong> Current = new();

    public static ulong Id
    {
        get => Current.Value;
        set => Current.Value = value;
    }
}
