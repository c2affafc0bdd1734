namespace Weir.Protocol.Frames;

/// <summary>On which channel and in which direction a frame travels.</summary>
[Flags]
internal enum FrameRoute : byte
{
    /// <summary>Nowhere.</summary>
    None = 0,

    /// <summary>Data channel, host to worker.</summary>
    DataDown = 1,

    /// <summary>Data channel, worker to host.</summary>
    DataUp = 2,

    /// <summary>Control channel, host to worker.</summary>
    ControlDown = 4,

    /// <summary>Control channel, worker to host.</summary>
    ControlUp = 8,
}
