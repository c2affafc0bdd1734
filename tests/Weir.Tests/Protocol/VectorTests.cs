namespace Weir.Tests.Protocol;

public sealed class VectorTests
{
    private static readonly string Folder = Path.Combine(AppContext.BaseDirectory, "vectors");

    public static TheoryData<string> Names => [.. Samples.All.Select(s => s.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_frame_is_written_as_in_its_golden_file(string name)
    {
        var sample = Samples.Named(name);
        Assert.Equal(File.ReadAllText(Path.Combine(Folder, name + ".hex")), sample.File());
    }

    [Fact]
    public void Every_golden_file_has_a_sample_and_is_read_without_an_error()
    {
        var files = Directory.GetFiles(Folder, "*.hex").Select(Path.GetFileNameWithoutExtension).Order();
        Assert.Equal(Samples.All.Select(s => s.Name).Order(), files);

        foreach (var sample in Samples.All)
        {
            var (header, payload) = Assert.Single(Wire.Frames(sample.Bytes()));
            Wire.Interpret(new Weir.Protocol.Frames.Frame(header, payload));
        }
    }

    [Fact]
    public void Every_frame_type_has_a_golden_file()
    {
        var covered = Samples.All.Select(s => Wire.Frames(s.Bytes())[0].Header.Type).Distinct().Order();
        Assert.Equal(Enum.GetValues<Weir.Protocol.Frames.FrameType>().Order(), covered);
    }
}
