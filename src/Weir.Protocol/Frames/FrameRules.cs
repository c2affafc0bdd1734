namespace Weir.Protocol.Frames;

/// <summary>What the header of each frame type may contain; checked before anything is allocated for its payload.</summary>
internal readonly struct FrameRules
{
    /// <summary>The most an ERROR, HELLO, READY, LOG or BYE may carry: 1 MB. A READY of 20,000 operations fits.</summary>
    public const int LargestDescription = 1 << 20;

    /// <summary>The most a PROGRESS may carry: 200 characters, of four bytes each.</summary>
    public const int LargestProgress = PayloadSizes.Progress + (200 * 4);

    /// <summary>The most a STACK may carry: 64 KB.</summary>
    public const int LargestStack = 64 << 10;

    private const int Limit = int.MaxValue;

    // Indexed by number; a type that is absent has no route.
    private static readonly FrameRules[] Table = Build();

    private FrameRules(FrameRoute routes, FrameFlags flags, int least, int most, CallIdRule callId)
    {
        Routes = routes;
        Flags = flags;
        LeastPayload = least;
        MostPayload = most;
        CallId = callId;
    }

    /// <summary>Where the type may travel; <see cref="FrameRoute.None"/> for a number that is no type.</summary>
    public FrameRoute Routes { get; }

    /// <summary>The flags it may carry.</summary>
    public FrameFlags Flags { get; }

    /// <summary>The least bytes of payload.</summary>
    public int LeastPayload { get; }

    /// <summary>The most bytes of payload; <see cref="int.MaxValue"/> leaves it to the reader's limit.</summary>
    public int MostPayload { get; }

    /// <summary>The most bytes of payload under a limit: types that only describe have a limit of their own.</summary>
    /// <param name="limit">The limit of the channel in bytes.</param>
    public int MostUnder(int limit) => MostPayload == Limit ? limit : MostPayload;

    /// <summary>Whether the header names a call.</summary>
    public CallIdRule CallId { get; }

    /// <summary>The rules of a type.</summary>
    /// <param name="type">Any number, known or not.</param>
    public static ref readonly FrameRules Of(FrameType type) => ref Table[(byte)type];

    private static FrameRules[] Build()
    {
        const FrameRoute DataDown = FrameRoute.DataDown, DataUp = FrameRoute.DataUp;
        const FrameRoute ControlDown = FrameRoute.ControlDown, ControlUp = FrameRoute.ControlUp;
        const FrameFlags Plain = FrameFlags.None;

        var table = new FrameRules[256];
        table[(byte)FrameType.Call] = new(DataDown, Plain, PayloadSizes.Call, Limit, CallIdRule.Required);
        table[(byte)FrameType.Item] = new(DataDown | DataUp, FrameFlags.Raw | FrameFlags.Head, 0, Limit, CallIdRule.Required);
        table[(byte)FrameType.End] = new(DataDown, Plain, 0, 0, CallIdRule.Required);
        table[(byte)FrameType.Abort] = new(DataDown, Plain, PayloadSizes.Abort, LargestDescription, CallIdRule.Required);
        table[(byte)FrameType.Credit] = new(DataDown | DataUp | ControlDown, Plain, PayloadSizes.Credit, PayloadSizes.Credit, CallIdRule.Required);
        table[(byte)FrameType.Started] = new(DataUp, Plain, 0, 0, CallIdRule.Required);
        table[(byte)FrameType.Result] = new(DataUp, FrameFlags.NoValue | FrameFlags.Raw | FrameFlags.Head, 0, Limit, CallIdRule.Required);
        table[(byte)FrameType.Error] = new(DataUp, Plain, 1, LargestDescription, CallIdRule.Required);
        table[(byte)FrameType.Hello] = new(ControlDown, Plain, PayloadSizes.Hello, LargestDescription, CallIdRule.Zero);
        table[(byte)FrameType.Ready] = new(ControlUp, FrameFlags.Failed, PayloadSizes.Ready, LargestDescription, CallIdRule.Zero);
        table[(byte)FrameType.Cancel] = new(ControlDown, Plain, PayloadSizes.Cancel, PayloadSizes.Cancel, CallIdRule.Required);
        table[(byte)FrameType.Returned] = new(ControlUp, Plain, PayloadSizes.Returned, PayloadSizes.Returned, CallIdRule.Required);
        table[(byte)FrameType.Ping] = new(ControlDown, Plain, PayloadSizes.Ping, PayloadSizes.Ping, CallIdRule.Zero);
        table[(byte)FrameType.Pong] = new(ControlUp, Plain, PayloadSizes.Ping, PayloadSizes.Ping, CallIdRule.Zero);
        table[(byte)FrameType.Drain] = new(ControlDown, Plain, 0, 0, CallIdRule.Optional);
        table[(byte)FrameType.Log] = new(ControlUp, Plain, PayloadSizes.Log, LargestDescription, CallIdRule.Optional);
        table[(byte)FrameType.Bye] = new(ControlUp, Plain, PayloadSizes.Bye, LargestDescription, CallIdRule.Zero);
        table[(byte)FrameType.Space] = new(ControlDown, Plain, 0, 0, CallIdRule.Zero);
        table[(byte)FrameType.Progress] = new(ControlUp, Plain, PayloadSizes.Progress, LargestProgress, CallIdRule.Required);
        table[(byte)FrameType.Stack] = new(ControlDown | ControlUp, Plain, 0, LargestStack, CallIdRule.Required);
        return table;
    }
}
