import org.sunflow.SunflowAPI;
import org.sunflow.core.Display;
import org.sunflow.image.Color;
import org.sunflow.math.Matrix4;
import org.sunflow.math.Point3;
import org.sunflow.math.Vector3;

/**
 * Renders the Utah teapot, which Sunflow has, with a mirror and a ball of glass, and keeps no picture.
 *
 * <p>Usage: java Picture PIXELS THREADS
 */
final class Picture extends SunflowAPI implements Display {
    private double luminance;

    public static void main(String[] arguments) {
        Picture picture = new Picture();
        picture.camera(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        picture.light();
        picture.objects();
        picture.render(DEFAULT_OPTIONS, picture);
    }

    private void camera(int pixels, int threads) {
        Matrix4 view = Matrix4.lookAt(new Point3(-6, -12, 7), new Point3(0, 0, 1.2f), new Vector3(0, 0, 1));
        parameter("transform", view);
        parameter("fov", 30f);
        parameter("aspect", 1f);
        camera("eye", "pinhole");
        parameter("camera", "eye");
        parameter("resolutionX", pixels);
        parameter("resolutionY", pixels);
        parameter("aa.min", 0);
        parameter("aa.max", 1);
        parameter("threads", threads);
        options(DEFAULT_OPTIONS);
    }

    private void light() {
        parameter("radiance", null, 60, 60, 60);
        parameter("center", new Point3(-4, -6, 9));
        parameter("radius", 1f);
        parameter("samples", 8);
        light("lamp", "sphere");
    }

    private void objects() {
        parameter("diffuse", null, 0.7f, 0.4f, 0.2f);
        shader("clay", "diffuse");
        parameter("diffuse", null, 0.5f, 0.5f, 0.5f);
        shader("stone", "diffuse");
        parameter("color", null, 0.8f, 0.8f, 0.8f);
        shader("mirror", "mirror");
        parameter("eta", 1.5f);
        shader("glass", "glass");
        parameter("subdivs", 7);
        parameter("smooth", false);
        geometry("pot", "teapot");
        place("pot", "clay", Matrix4.scale(0.018f).multiply(Matrix4.rotateX((float) -Math.PI / 2)));
        parameter("center", new Point3(0, 0, 0));
        parameter("normal", new Vector3(0, 0, 1));
        geometry("floor", "plane");
        place("floor", "stone", Matrix4.IDENTITY);
        geometry("ball", "sphere");
        place("ball", "mirror", Matrix4.translation(3, 3, 1.5f).multiply(Matrix4.scale(1.5f)));
        place("ball", "glass", Matrix4.translation(-2.5f, -3, 0.8f).multiply(Matrix4.scale(0.8f)));
    }

    private void place(String geometry, String shader, Matrix4 transform) {
        parameter("transform", transform);
        parameter("shaders", new String[] {shader});
        instance(geometry + " of " + shader, geometry);
    }

    @Override public void imageBegin(int width, int height, int bucket) {}
    @Override public void imagePrepare(int x, int y, int width, int height, int id) {}
    @Override public void imageFill(int x, int y, int width, int height, Color color, float alpha) {}

    @Override public synchronized void imageUpdate(int x, int y, int width, int height, Color[] data, float[] alpha) {
        for (Color color : data) luminance += color.getLuminance();
    }

    @Override public void imageEnd() {
        System.out.printf("luminance %.4f%n", luminance);
    }
}
