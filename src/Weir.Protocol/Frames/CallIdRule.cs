namespace Weir.Protocol.Frames;

/// <summary>What the call id of a frame's header may be.</summary>
internal enum CallIdRule : byte
{
    /// <summary>Always 0: the frame is about the worker.</summary>
    Zero = 0,

    /// <summary>A call, so never 0.</summary>
    Required = 1,

    /// <summary>A call, or 0 for none.</summary>
    Optional = 2,
}
